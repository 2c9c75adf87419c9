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

/** The body of `POST /sessions/:id/turns`. */
export const TURN_BODY = z.strictObject({
  prompt: z.union(
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
  ),
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
