import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** A database of its own for a test or a test file. */
export interface TestDatabase {
  readonly url: string;
  readonly dispose: () => Promise<void>;
}

/**
 * Makes a fresh database on the Postgres of this test run. It has the fleet's tables already, because it is a copy
 * of a template; `empty` makes one without any.
 */
export async function createDatabase(
  options: { readonly empty?: boolean } = {},
): Promise<TestDatabase> {
  const { url, template } = inject("postgres");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(
    url,
    `create database ${name} template ${options.empty ? "template1" : template}`,
  );
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    dispose: () => administer(url, `drop database if exists ${name} with (force)`),
  };
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

declare module "vitest" {
  interface ProvidedContext {
    postgres: {
      readonly url: string;
      readonly template: string;
      /** The files of an empty database cluster, as initdb made them. Empty if the server is not ours. */
      readonly pristine: string;
    };
  }
}
