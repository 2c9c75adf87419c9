// How a host ends. A line on stdin tells the host to exit or to throw.

export const ENDINGS = {
  SIGKILL: (child) => child.kill("SIGKILL"),
  "uncaught exception": (child) => child.stdin.write("throw\n"),
  "process.exit()": (child) => child.stdin.write("exit\n"),
  SIGTERM: (child) => child.kill("SIGTERM"),
  SIGINT: (child) => child.kill("SIGINT"),
  "SIGTERM, own handler": (child) => child.kill("SIGTERM"),
  "SIGINT, own handler": (child) => child.kill("SIGINT"),
};

/** For the host: exits or throws on a line on stdin, and installs the signal handler of `ending`. */
export function obey(ending) {
  const [signal, handler] = ending.split(", ");
  if (handler !== undefined) process.on(signal, () => process.exit(0));
  process.stdin.on("data", (line) => {
    if (String(line).includes("exit")) process.exit(0);
    throw new Error("an uncaught exception");
  });
}
