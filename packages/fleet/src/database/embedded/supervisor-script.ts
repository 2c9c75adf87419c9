/** A shell function that locks file descriptor 9, or fails at once. The lock ends with the last process that has it. */
export const LOCK_FUNCTION: string = `
lock() {
  if command -v flock >/dev/null 2>&1; then
    flock -n 9
  elif command -v perl >/dev/null 2>&1; then
    perl -e 'use Fcntl ":flock"; open(my $file, ">&=", 9) or exit 2; exit(flock($file, LOCK_EX | LOCK_NB) ? 0 : 1)'
  else
    exit 7
  fi
}
`;

/**
 * A POSIX shell program that runs the Postgres of a folder as long as any program uses the folder. A shell, because
 * it must outlive the program that starts it, and takes one megabyte.
 *
 * Its arguments are the folder of the Postgres programs, the folder of the database, and the folder of the socket.
 *
 * - `alive` is a FIFO that every user of the database holds open for writing. The kernel counts the writers, so that
 *   the end of file says that the last user has gone, however it ended. This program is the only reader: a user that
 *   cannot open the FIFO without waiting knows that this program does not run.
 * - `lock` makes sure that this program runs once for each folder.
 * - `ready` exists while users may connect. It is removed before the users are counted for the last time, and users
 *   look for it after they have opened the FIFO. So no user connects to a Postgres that is about to end.
 *
 * Exit codes: 0 another one runs, or the last user has gone; 3 a file cannot be made; 4 initdb failed; 5 `data` is
 * not a database; 6 postgres ends again and again; 7 no program for file locks.
 */
export const SUPERVISOR_SCRIPT: string = `
unset HAWSER_SUPERVISOR
bin=$1
folder=$2
socket=$3
data=$folder/data

${LOCK_FUNCTION}
# Whether any program holds the FIFO. A reader gets the end of file at once if there is none, and else waits.
has_users() {
  ( read -r line ) <&7 >/dev/null 2>&1 9>&- &
  reader=$!
  sleep 0.05
  kill -0 "$reader" 2>/dev/null || return 1
  kill -KILL "$reader" 2>/dev/null
  wait "$reader" 2>/dev/null
  return 0
}

# Whether the process is a Postgres of this database, by the argument after -D. Process ids are used again, and other
# programs may have the path of the folder, or a longer one, in their command lines.
is_postgres() {
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\\000' '\\n' <"/proc/$1/cmdline" | sed -n '/^-D$/{n;p;}' | grep -qxF -- "$data"
  else
    case "$(ps -p "$1" -o args= 2>/dev/null) " in *" -D $data "*) ;; *) return 1 ;; esac
  fi
}

# Whether the process is a supervisor of this folder, by its name and its second argument.
is_supervisor() {
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\\000' '\\n' <"/proc/$1/cmdline" | sed -n '/^hawser-database$/{n;n;p;}' | grep -qxF -- "$folder"
  else
    case "$(ps -p "$1" -o args= 2>/dev/null) " in *" hawser-database $bin $folder "*) ;; *) return 1 ;; esac
  fi
}

# Waits until the process has ended, for so many tenths of a second.
ended() {
  rest=$2
  while kill -0 "$1" 2>/dev/null; do
    [ "$rest" -gt 0 ] || return 1
    rest=$((rest - 1))
    sleep 0.1
  done
}

# The supervisor of this Postgres was killed. This one has the lock, so it takes its place.
end_orphan() {
  orphan=
  [ ! -r "$data/postmaster.pid" ] || read -r orphan <"$data/postmaster.pid"
  if [ -n "$orphan" ] && [ "$orphan" != "$$" ] && kill -0 "$orphan" 2>/dev/null && is_postgres "$orphan"; then
    kill -INT "$orphan" 2>/dev/null
    ended "$orphan" 100 || kill -QUIT "$orphan" 2>/dev/null
    ended "$orphan" 50 || kill -KILL "$orphan" 2>/dev/null
    ended "$orphan" 50
  elif [ -n "$orphan" ]; then
    # Postgres would refuse to start if another program of this user has the process id by now.
    rm -f "$data/postmaster.pid" "$socket/.s.PGSQL.5432" "$socket/.s.PGSQL.5432.lock"
  fi
}

# Sends USR1 to this program when the last user has gone: again and again, because one signal could come too early.
# If this program was killed meanwhile, it ends Postgres itself.
watch() {
  (
    while read -r line; do :; done
    while is_supervisor $$ && kill -USR1 $$ 2>/dev/null; do sleep 0.5; done
    is_postgres "$postgres" && kill -INT "$postgres"
  ) <&7 >/dev/null 2>&1 9>&- &
  watcher=$!
}

unwatch() {
  kill -KILL "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
}

is_ready() {
  [ -r "$data/postmaster.pid" ] && read -r pid <"$data/postmaster.pid" &&
    [ "$pid" = "$postgres" ] && grep -q '^ready' "$data/postmaster.pid"
}

trap '' HUP INT TERM
trap 'deserted=yes' USR1
umask 077
exec 9>>"$folder/lock" || exit 3
lock || exit 0
rm -f "$folder/ready"
# Opening a FIFO for reading waits for a writer, unless there is one: fd 8, for a moment.
exec 8<>"$folder/alive" || exit 3
exec 7<"$folder/alive" 8>&-

# The program that started this one may have been killed before it opened the FIFO.
tries=0
until has_users; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || exit 0
done

[ -s "$folder/log" ] && mv "$folder/log" "$folder/log.old"
: >"$folder/log" || exit 3
# \`hawser fleet move\` was killed between its last two steps.
[ -e "$data" ] || [ ! -d "$folder/data.moved" ] || mv "$folder/data.moved" "$data" || exit 3
if [ ! -s "$data/PG_VERSION" ]; then
  rm -rf "$folder"/data.new.*
  rmdir "$data" 2>/dev/null
  [ ! -e "$data" ] || exit 5
  # initdb keeps the lock if this program is killed, so that no second one begins while it still writes.
  "$bin/initdb" -D "$folder/data.new.$$" -A trust -U hawser -E UTF8 --no-locale \\
    --no-instructions </dev/null >>"$folder/log" 2>&1 7<&- || exit 4
  mv "$folder/data.new.$$" "$data" || exit 4
fi
[ "$socket" = "$folder" ] || mkdir -m 700 "$socket" 2>/dev/null

# Where the kernel can do it, Postgres ends if this program is killed.
tie=
if setpriv --pdeathsig INT true 2>/dev/null; then tie='setpriv --pdeathsig INT'; fi

failures=0
while :; do
  end_orphan
  began=$(date +%s)
  $tie "$bin/postgres" -D "$data" -k "\\"$socket\\"" -c listen_addresses= -c unix_socket_permissions=0700 \\
    -c shared_buffers=32MB -c max_connections=200 -c min_wal_size=32MB -c max_wal_size=256MB \\
    -c log_checkpoints=off -c jit=off -c timezone=UTC -c log_timezone=UTC \\
    </dev/null >>"$folder/log" 2>&1 7<&- 9>&- &
  postgres=$!
  deserted=
  watch
  until is_ready; do
    kill -0 "$postgres" 2>/dev/null || break
    sleep 0.02
  done
  kill -0 "$postgres" 2>/dev/null && : >"$folder/ready"

  while kill -0 "$postgres" 2>/dev/null; do
    # A signal ends the wait at once. Every second, because whatever this program waits for may have been killed.
    sleep 1 9>&- &
    wait $!
    kill -0 "$watcher" 2>/dev/null || [ -n "$deserted" ] || watch
    [ -n "$deserted" ] || continue
    unwatch
    rm -f "$folder/ready"
    if has_users; then
      : >"$folder/ready"
      deserted=
      watch
      continue
    fi
    kill -INT "$postgres"
    ended "$postgres" 600 || kill -QUIT "$postgres"
    ended "$postgres" 100 || kill -KILL "$postgres"
  done

  rm -f "$folder/ready"
  unwatch
  has_users || break
  if [ -z "$deserted" ]; then
    # Postgres has crashed. Its other processes may need a moment to notice it: they hold its shared memory.
    [ $(($(date +%s) - began)) -lt 10 ] || failures=0
    failures=$((failures + 1))
    limit=3
    tail -n 5 "$folder/log" | grep -q 'shared memory block' && limit=30
    [ "$failures" -lt "$limit" ] || exit 6
    sleep 0.25
  fi
done
[ "$socket" = "$folder" ] || rmdir "$socket" 2>/dev/null
exit 0
`;
