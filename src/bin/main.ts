#!/usr/bin/env node
import { ERROR_CODES, HAWSER_VERSION, isHawserError } from "../errors/index.js";
import { doctor } from "./doctor.js";
import { USAGE, usageError } from "./usage.js";

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = { doctor };

async function main([name = "--help", ...args]: string[]): Promise<number> {
  if ([name, ...args].some((each) => each === "--help" || each === "-h")) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${HAWSER_VERSION}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw usageError(`There is no command ${JSON.stringify(name)}.`);
  return command(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!isHawserError(error)) throw error;
  process.stderr.write(`hawser: ${error.message}\n${error.hint}\n`);
  process.exitCode = ERROR_CODES[error.code].exitCode;
}
