import type { HarnessV1 } from "@ai-sdk/harness";

type JsonValue = Parameters<NonNullable<HarnessV1["doStart"]>>[0]["resumeFrom"] extends
  | { readonly data: infer Data }
  | undefined
  ? Data
  : never;

/** A call that waited for approval when its turn was suspended. */
export interface PendingQuestion {
  /** The id of the tool call. */
  readonly id: string;
  /** The CLI's name of the tool. */
  readonly tool: string;
  readonly input: unknown;
}

/** What a session needs to be continued. */
export interface LifecycleData {
  /** The CLI's id of the conversation; absent if there was no prompt. */
  readonly conversation?: string;
  /** The key of the conversation in the program that still has its process. */
  readonly live?: string;
  readonly questions?: readonly PendingQuestion[];
}

export function encodeData(data: LifecycleData): JsonValue {
  return JSON.parse(JSON.stringify(data)) as JsonValue;
}

/** The schema of the data, as a Standard Schema. */
export const LIFECYCLE_SCHEMA = {
  "~standard": {
    version: 1 as const,
    vendor: "hawser",
    validate: (value: unknown) =>
      isData(value)
        ? { value: value as unknown }
        : { issues: [{ message: "This is not the state of a hawser session." }] },
  },
};

function isData(value: unknown): value is LifecycleData {
  if (typeof value !== "object" || value === null) return false;
  const { conversation, live, questions } = value as Readonly<Record<string, unknown>>;
  const isText = (each: unknown) => each === undefined || typeof each === "string";
  return (
    isText(conversation) && isText(live) && (questions === undefined || Array.isArray(questions))
  );
}
