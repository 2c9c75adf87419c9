// Runs `hawser demo` on the CLI that this repository pins. hawser itself does not search the
// node_modules of the current directory, which a clone of the repository is.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DIST } from "./dist.js";
import { nativeCli } from "./native-cli.js";

const env = { HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"), ...process.env };
const args = [join(DIST, "bin/main.js"), "demo", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env });
process.exit(status ?? 1);
