import { temporaryPrefix } from "../temporary/temporary-path.js";
import { WATCHDOG_NAME } from "./proc-table.js";

/**
 * The program of the watchdog. It is a shell script, because a shell needs two megabytes of memory
 * and every POSIX system has one.
 *
 * Arguments: the host's name, and how processes are listed, `proc` or `ps`. Its input: `+ pid
 * start` and `- pid start` for processes that come and go, `t folder` for a folder of temporary
 * files, `q` for "nothing is left to watch". If the input ends without `q`, the host has died.
 *
 * `list` holds `pid:start` of every process that was announced or found, because a process that has
 * lost its parent and was started with an empty environment cannot be found later.
 */
export const WATCHDOG_SCRIPT: string = `
host=$1 look=$2 list=' ' folders= termed=' '
while read -r sign rest; do
  entry="\${rest%% *}:\${rest#* }"
  case $sign in
    +) list="$list$entry " ;;
    -) case $list in *" $entry "*) list="\${list%% $entry *} \${list#* $entry }" ;; esac ;;
    t) folders="$folders$rest
" ;;
    q) exit 0 ;;
  esac
done

clear_away() {
  printf %s "$folders" | while read -r folder; do
    for each in "$folder/${temporaryPrefix("$host")}"*; do
      # Another user can make a folder or a link of such a name where all users can write.
      [ -d "$each" ] && [ ! -L "$each" ] && [ -O "$each" ] && rm -rf -- "$each"
    done
  done
}

if [ "$look" = proc ]; then
  grep -z x /dev/null
  [ $? = 1 ] && nul=1 || nul=0
  # When the host was started: what it has started is not older.
  born=\${host#*.*.} born=\${born%%.*}
  rows() {
    for file in /proc/[0-9]*/stat; do
      pid=\${file#/proc/} pid=\${pid%/stat}
      see "$pid" && echo "$pid:$parent:$start"
    done
  }
  see() {
    read -r line <"/proc/$1/stat" || return 1
    parse "$line" || parse "$(tr '\\n' ' ' <"/proc/$1/stat")" || return 1
    case $state in Z | X) return 1 ;; esac
  }
  parse() {
    # A name may hold anything, also a pattern, or a line break.
    set -f
    set -- \${1##*) }
    set +f
    state=$1 parent=$2 start=\${20}
    case $parent:$start in *[!0-9:]* | :* | *:) return 1 ;; esac
  }
  marked() {
    if [ $nul = 1 ]; then
      grep -zlsF "$host/" /proc/[0-9]*/environ
    else
      for file in /proc/[0-9]*/environ; do
        pid=\${file#/proc/}
        see "\${pid%/environ}" && [ "$start" -ge "$born" ] && holds "$file" "$host/" && echo "$file"
      done
    fi
  }
  holds() { tr '\\0' '\\n' <"$1" | grep -qF "$2"; }
  # A watchdog is started as /bin/sh.
  watches() {
    read -r name <"/proc/$1/comm" && [ "$name" = sh ] &&
      is_dog "$(tr '\\0' ' ' <"/proc/$1/cmdline")"
  }
  [ -e "/proc/$$/task/$$/children" ] && look=lists
else
  rows() {
    ps -A -o pid= -o ppid= -o stat= | while read -r pid parent stat; do
      case $stat in Z*) ;; *) echo "$pid:$parent:-" ;; esac
    done
  }
  marked() {
    ps -A -E -ww -o pid= -o command= | grep -F "$host/" | while read -r pid _; do echo "$pid"; done
  }
  watches() { is_dog "$(ps -ww -o args= -p "$1")"; }
  told=$list list=' '
  for entry in $told; do
    pid=\${entry%%:*}
    # Still the leader of its own group, as it was when it was started: no later one by chance.
    [ "$(ps -o pgid= -p "$pid" | tr -d ' ')" = "$pid" ] && list="$list$entry "
  done
fi

is_dog() { case $1 in "/bin/sh -c "*" ${WATCHDOG_NAME} "*.*.*.*) ;; *) return 1 ;; esac; }

# Sets \`left\` to the processes that still run, and adds them to \`list\`.
scan() {
  found=' ' left=
  for file in $(marked); do
    pid=\${file#/proc/}
    found="$found\${pid%/environ} "
  done
  if [ "$look" = lists ]; then follow_lists; else search_table; fi
}

# By the kernel's lists of children, so that only the processes of the tree are read.
follow_lists() {
  for entry in $list; do
    pid=\${entry%%:*}
    case $found in *" $pid "*) continue ;; esac
    see "$pid" && [ "$entry" = "$pid:$start" ] && found="$found$pid "
  done
  set -- $found
  while [ $# -gt 0 ]; do
    for file in /proc/$1/task/*/children; do
      # Twice, because a list that is written while a child ends may lack another child.
      children= again=
      read -r children <"$file"
      read -r again <"$file"
      for pid in $children $again; do
        case $found in *" $pid "*) continue ;; esac
        # The watchdog of a host further down has its own work to do, and then ends by itself.
        watches "$pid" && continue
        found="$found$pid "
        set -- "$@" "$pid"
      done
    done
    shift
  done
  for pid in $found; do see "$pid" && keep; done
}

search_table() {
  grown=1
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
      watches "$pid" && continue
      found="$found$pid "
      grown=1
    done
  done
  for row in $table; do
    split "$row"
    case $found in *" $pid "*) keep ;; esac
  done
}

keep() {
  case $list in *" $pid:$start "*) ;; *) list="$list$pid:$start " ;; esac
  left="$left $pid"
}

split() {
  pid=\${1%%:*} start=\${1##*:}
  parent=\${1#*:}
  parent=\${parent%%:*}
}

clear_away
begun=$(date +%s) turn=0 empty=0
while [ $turn -lt 60 ] && [ $empty -lt 2 ]; do
  turn=$((turn + 1)) empty=$((empty + 1))
  scan
  # By turns where looking is quick, by the clock where there is much to look at.
  [ $turn -gt 6 ] || [ $(($(date +%s) - begun)) -ge 2 ] && signal=KILL || signal=TERM
  for pid in $left; do
    empty=0
    case $signal$termed in TERM*" $pid "*) ;; *) kill -$signal "$pid" && termed="$termed$pid " ;; esac
  done
  [ $empty != 0 ] || sleep 0.1 || sleep 1
done
clear_away
`;
