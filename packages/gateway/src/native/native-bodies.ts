import { z } from "zod";

/** The body of `POST /sessions`. */
export const OPEN_BODY = z.strictObject({
  agent: z.string().min(1),
  model: z.string().min(1).optional(),
  resume: z.string().min(1).optional(),
});

const SOURCE = z.strictObject({
  type: z.enum(["base64", "text"]),
  media_type: z.string(),
  data: z.string(),
});

const PROMPT = z.union(
  [
    z.string().min(1),
    z
      .array(
        z.discriminatedUnion("type", [
          z.looseObject({ type: z.literal("text"), text: z.string() }),
          z.looseObject({ type: z.literal("image"), source: SOURCE }),
          z.looseObject({ type: z.literal("document"), source: SOURCE }),
        ]),
      )
      .min(1),
  ],
  { error: "must be text, or a list of text, image and document blocks with their data" },
);

/** The body of `POST /sessions/:id/turns`. */
export const TURN_BODY = z.strictObject({ prompt: PROMPT });

/** The body of `POST /runs`. */
export const RUN_BODY = z.strictObject({
  agent: z.string().min(1),
  prompt: PROMPT,
  model: z.string().min(1).optional(),
  /** Continues this session, or with `fork` a copy of it. */
  session: z.uuid().optional(),
  fork: z.boolean().optional(),
  onBusySession: z.enum(["queue", "reject", "interrupt"]).optional(),
  /** If the tenant has submitted a run with this key before, that run is returned. */
  key: z.string().min(1).max(200).optional(),
  priority: z.enum(["low", "normal", "high"]).optional(),
  budgetUsd: z.number().positive().optional(),
  startAfter: z.iso.datetime({ offset: true }).optional(),
  deadline: z.iso.datetime({ offset: true }).optional(),
  timeoutMs: z.int().positive().optional(),
  attempts: z.int().min(1).max(100).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string().max(200), z.string().max(10_000)).optional(),
  /** For admins: the tenant of the run. */
  tenant: z.string().min(1).max(200).optional(),
});

const BY = { by: z.string().min(1).max(200).optional() };
const JSON_OBJECT = z.record(z.string(), z.unknown());

/** The body of `POST /approvals/:id`. */
export const ANSWER_BODY = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("allow"),
    scope: z.enum(["once", "session"]).optional(),
    updatedInput: JSON_OBJECT.optional(),
    ...BY,
  }),
  z.strictObject({
    decision: z.literal("deny"),
    message: z.string().max(100_000).optional(),
    interrupt: z.boolean().optional(),
    ...BY,
  }),
  z.strictObject({
    decision: z.literal("answer"),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    ...BY,
  }),
  z.strictObject({ decision: z.literal("accept"), content: JSON_OBJECT.optional(), ...BY }),
  z.strictObject({ decision: z.enum(["decline", "cancel"]), ...BY }),
]);
