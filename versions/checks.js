import { answers } from "./checks/answers.js";
import { ends } from "./checks/ends.js";
import { interrupts } from "./checks/interrupts.js";
import { permissions } from "./checks/permissions.js";
import { sessions } from "./checks/sessions.js";
import { starts } from "./checks/starts.js";
import { tools } from "./checks/tools.js";

/** Every check, in the order of the page. */
export const CHECKS = [
  ...answers,
  ...sessions,
  ...interrupts,
  ...permissions,
  ...tools,
  ...starts,
  ...ends,
];
