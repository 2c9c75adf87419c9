/**
 * What watches over a host: a shell, because it weighs two megabytes and every POSIX system has one.
 *
 * Arguments: the host's name, the folder of its temporary files, and how processes are looked at,
 * `proc` or `ps`. On its input: `+ pid` and `- pid` for processes that come and go, `q` for "nothing is
 * left to watch". The end of the input without it is the death of the host.
 *
 * `list` holds `pid:start` of everything found so far: a process that has lost its parent, and was
 * started with an empty environment, is found by no later look.
 */
export const WATCHDOG_SCRIPT: string = `
host=$1 tmp=$2 look=$3 pids=' ' list=' ' termed=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
    q) exit 0 ;;
  esac
done

if [ "$look" = proc ]; then
  grep -z x /dev/null
  [ $? = 1 ] && nul=1 || nul=0
  rows() {
    for file in /proc/[0-9]*/stat; do
      read -r line <"$file" || continue
      pid=\${line%% *}
      set -- \${line##*) }
      case $1 in Z | X) ;; *) echo "$pid:$2:\${20}" ;; esac
    done
  }
  marked() {
    if [ $nul = 1 ]; then
      grep -zlsF "$host/" /proc/[0-9]*/environ
    else
      for file in /proc/[0-9]*/environ; do holds "$file" "$host/" && echo "$file"; done
    fi
  }
  holds() { tr '\\0' '\\n' <"$1" | grep -qF "$2"; }
  watches() { holds "/proc/$1/cmdline" hawser-watchdog; }
else
  rows() {
    ps -A -o pid= -o ppid= -o stat= | while read -r pid parent stat; do
      case $stat in Z*) ;; *) echo "$pid:$parent:-" ;; esac
    done
  }
  marked() {
    ps -A -E -ww -o pid= -o command= | grep -F "$host/" | while read -r pid _; do echo "$pid"; done
    for pid in $pids; do
      # Still the leader of its own group, as it was when it was started: no later one by chance.
      [ "$(ps -o pgid= -p "$pid" | tr -d ' ')" = "$pid" ] && echo "$pid"
    done
  }
  watches() { ps -o args= -p "$1" | grep -qF hawser-watchdog; }
fi

scan() {
  found=' ' left= grown=1
  for file in $(marked); do
    pid=\${file#/proc/}
    found="$found\${pid%/environ} "
  done
  table=$(rows)
  for row in $table; do
    split "$row"
    case $list in *" $pid:$start "*) found="$found$pid " ;; esac
  done
  while [ $grown = 1 ]; do
    grown=0
    for row in $table; do
      split "$row"
      case $found in *" $pid "*) continue ;; *" $parent "*) ;; *) continue ;; esac
      # The watchdog of a host further down has its own work to do, and then ends by itself.
      watches "$pid" && continue
      found="$found$pid "
      grown=1
    done
  done
  for row in $table; do
    split "$row"
    case $found in *" $pid "*) ;; *) continue ;; esac
    case $list in *" $pid:$start "*) ;; *) list="$list$pid:$start " ;; esac
    left="$left $pid"
  done
}

split() {
  pid=\${1%%:*} start=\${1##*:}
  parent=\${1#*:}
  parent=\${parent%%:*}
}

turn=0 empty=0
while [ $turn -lt 60 ] && [ $empty -lt 2 ]; do
  turn=$((turn + 1)) empty=$((empty + 1))
  scan
  for pid in $left; do
    empty=0
    if [ $turn -gt 6 ]; then
      kill -KILL "$pid"
    else
      case $termed in *" $pid "*) ;; *) kill -TERM "$pid" && termed="$termed$pid " ;; esac
    fi
  done
  [ $empty != 0 ] || sleep 0.1 || sleep 1
done
rm -rf -- "$tmp/hawser-$host-"*
`;
