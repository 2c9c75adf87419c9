import type { RunningServer } from "./serve.js";

/**
 * SIGTERM and SIGINT drain the server, a second one of them closes it now, and SIGHUP reloads the configuration.
 * Resolves when the server has ended, to the exit code of the program.
 */
export async function handleSignals(
  server: RunningServer,
  note: (text: string) => void,
): Promise<number> {
  let ends = 0;
  const end = (signal: "SIGINT" | "SIGTERM") => {
    ends += 1;
    if (ends === 1) {
      note(
        "The server ends as soon as the running requests have ended. A second signal ends it now.",
      );
      void server.drain();
    } else if (ends === 2) {
      code = signal === "SIGINT" ? 130 : 143;
      void server.close();
    }
  };
  let code = 0;
  const onInt = () => end("SIGINT");
  const onTerm = () => end("SIGTERM");
  const onHup = () => void server.reload();
  process.on("SIGINT", onInt);
  process.on("SIGTERM", onTerm);
  process.on("SIGHUP", onHup);
  try {
    await server.ended;
    return code;
  } finally {
    process.off("SIGINT", onInt);
    process.off("SIGTERM", onTerm);
    process.off("SIGHUP", onHup);
  }
}
