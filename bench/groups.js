// What `npm run bench` measures, in this order. Each group returns `figures`, the rows with an interval and
// perhaps a target, and what the page shows beside them, by name.
import { run as added } from "./added.js";
import { run as aiSdk } from "./ai-sdk.js";
import { run as calls } from "./calls.js";
import { run as council } from "./council.js";
import { run as ending } from "./ending.js";
import { run as firstAnswer } from "./first-answer.js";
import { run as fleet } from "./fleet.js";
import { run as framing } from "./framing.js";
import { run as gateway } from "./gateway.js";
import { run as growth } from "./growth.js";
import { run as history } from "./history.js";
import { run as imports } from "./import.js";
import { run as otel } from "./otel.js";
import { run as rates } from "./rates.js";
import { run as sessions } from "./sessions.js";
import { run as streaming } from "./streaming.js";
import { run as subscribers } from "./subscribers.js";
import { run as waiting } from "./waiting.js";

/** @type {Record<string, (rounds?: number) => Promise<{ figures: any[], [part: string]: any }>>} */
export const GROUPS = {
  streaming,
  subscribers,
  otel,
  "first-answer": firstAnswer,
  added,
  calls,
  history,
  rates,
  growth,
  waiting,
  sessions,
  ending,
  gateway,
  "ai-sdk": aiSdk,
  council,
  fleet,
  import: imports,
  framing,
};
