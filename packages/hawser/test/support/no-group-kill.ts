// Process 0 means the caller's own group, and -0 is 0: a test that kills a process it has not found would
// kill the whole run without a word.
const kill = process.kill;

process.kill = (pid, signal) => {
  if (pid === 0) throw new Error("There is no process to kill: its id is 0.");
  return kill.call(process, pid, signal);
};
