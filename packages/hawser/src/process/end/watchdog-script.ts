import { temporaryPrefix } from "../temporary/temporary-path.js";
import { WATCHDOG_NAME } from "./proc-table.js";

/**
 * The program of the watchdog. It is a shell script, because a shell needs two megabytes of memory
 * and every POSIX system has one.
 *
 * Arguments: the host's name, and how processes are listed, `proc` or `ps`. Its input: `+ pid
 * start` and `- pid start` for processes that come and go, `d pid start seconds mark` for a process
 * that is to be ended unless the same line comes again within so many seconds, `t folder` for a folder
 * of temporary files, `q` for "nothing is left to watch". If the input ends without `q`, the host has
 * died.
 *
 * A deadline is a shell in the background that waits for a `sleep`, because `read` has no time limit in
 * POSIX. A signal ends its wait, so that it begins anew. It does not need the host: a host that is frozen
 * sends no line, and the deadline passes.
 *
 * `list` holds `pid:start` of every process that was announced or found, because a process that has
 * lost its parent and was started with an empty environment cannot be found later.
 */
export const WATCHDOG_SCRIPT: string = `
host=$1 look=$2 mark=$1/ list=' ' folders= timers=' ' termed=' ' patience=6
# A deadline that has just been started must not be ended by its first renewal.
trap '' USR1

clear_away() {
  printf %s "$folders" | while read -r folder; do
    for each in "$folder/${temporaryPrefix("$host")}"*; do
      # Another user can make a folder or a link of such a name where all users can write.
      [ -d "$each" ] && [ ! -L "$each" ] && [ -O "$each" ] && rm -rf -- "$each"
    done
  done
}

prepare() {
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
        grep -zlsF "$mark" /proc/[0-9]*/environ
      else
        for file in /proc/[0-9]*/environ; do
          pid=\${file#/proc/}
          see "\${pid%/environ}" && [ "$start" -ge "$born" ] && holds "$file" "$mark" && echo "$file"
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
      ps -A -E -ww -o pid= -o command= | grep -F "$mark" | while read -r pid _; do echo "$pid"; done
    }
    watches() { is_dog "$(ps -ww -o args= -p "$1")"; }
    told=$list list=' '
    for entry in $told; do
      pid=\${entry%%:*}
      # Still the leader of its own group, as it was when it was started: no later one by chance.
      [ "$(ps -o pgid= -p "$pid" | tr -d ' ')" = "$pid" ] && list="$list$entry "
    done
  fi
}

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

end_tree() {
  begun=$(date +%s) turn=0 empty=0
  while [ $turn -lt 60 ] && [ $empty -lt 2 ]; do
    turn=$((turn + 1)) empty=$((empty + 1))
    scan
    # By turns where looking is quick, by the clock where there is much to look at.
    [ $turn -gt $patience ] || [ $(($(date +%s) - begun)) -ge 2 ] && signal=KILL || signal=TERM
    for pid in $left; do
      empty=0
      case $signal$termed in TERM*" $pid "*) ;; *) kill -$signal "$pid" && termed="$termed$pid " ;; esac
    done
    [ $empty != 0 ] || sleep 0.1 || sleep 1
  done
}

# Runs in the background: ends one process, with everything below it, when its time is over.
deadline() {
  trap : USR1
  trap 'kill "$nap"; exit 0' TERM
  until [ "$slept" = 0 ]; do
    sleep "$3" & nap=$!
    wait "$nap"
    slept=$?
    case $slept in
      0) ;;
      # This sleep knows no fractions of a second.
      ? | ?? | 1[01]? | 12[0-8]) set -- "$1" "$2" "\${3%.*}" "$4" ;;
      # A renewal.
      *) kill "$nap" ;;
    esac
  done
  trap '' TERM
  # If the watchdog was killed, the host starts another, with a deadline of its own.
  kill -0 $$ || exit 0
  mark=$4 list=" $1:$2 " patience=0
  prepare
  end_tree
}

# Sets \`timer\` to the shell of the deadline of this process; empty if it has none.
find_timer() {
  case $timers in *" $1="*) timer=\${timers##* $1=} timer=\${timer%% *} ;; *) timer= ;; esac
}

stop_timer() {
  find_timer "$1"
  [ -n "$timer" ] || return
  timers="\${timers%% $1=*} \${timers#* $1=$timer }"
  kill "$timer"
  wait "$timer"
}

while read -r sign rest; do
  entry="\${rest%% *}:\${rest#* }"
  case $sign in
    +) list="$list$entry " ;;
    -)
      case $list in *" $entry "*) list="\${list%% $entry *} \${list#* $entry }" ;; esac
      stop_timer "$entry"
      ;;
    d)
      set -- $rest
      find_timer "$1:$2"
      if [ -n "$timer" ]; then
        kill -USR1 "$timer"
      else
        deadline "$@" </dev/null &
        timers="$timers$1:$2=$! "
      fi
      ;;
    t) folders="$folders$rest
" ;;
    q) exit 0 ;;
  esac
done

for timer in $timers; do stop_timer "\${timer%=*}"; done
prepare
clear_away
end_tree
clear_away
`;
