import pg from "pg";
import type { TestProject } from "vitest/node";
import { locatePostgres } from "../../src/database/embedded/locate-postgres.js";
import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { startServer } from "./start-server.js";

/**
 * One private Postgres for the whole test run. HAWSER_TEST_POSTGRES is the URL of a server that is used instead, and
 * HAWSER_POSTGRES the folder of other programs.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["HAWSER_TEST_POSTGRES"];
  if (given !== undefined && given !== "") {
    const template = await makeTemplate(given);
    project.provide("postgres", { url: given, template, pristine: "" });
    return () => administer(given, `drop database if exists ${template} with (force)`);
  }
  const [binaries] = await locatePostgres();
  if (binaries === undefined) {
    throw new Error("The tests of packages/fleet need a Postgres: run `npm ci`, or install one.");
  }
  const { url, pristine, stop } = await startServer(binaries);
  project.provide("postgres", { url, template: await makeTemplate(url), pristine });
  return stop;
}

/** A database with the tables of the fleet and of the queue, to be copied for each test file. */
async function makeTemplate(url: string): Promise<string> {
  const name = `hawser_template_${process.pid}`;
  await administer(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const database = await openDatabase(own.href);
  const engine = await openEngine(database);
  await engine.close();
  await database.close();
  return name;
}

/** Runs a statement as the owner of the server. */
async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
