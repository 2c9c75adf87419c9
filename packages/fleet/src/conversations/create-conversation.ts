import { checkName, invalidOption } from "../accounting/invalid-option.js";
import { readUsage } from "../accounting/read-usage.js";
import type { RunParts } from "../runs/create-run.js";
import { closeConversation } from "./close-conversation.js";
import type { Conversation, ConversationKey, ConversationOptions } from "./conversation.js";
import { readMessages, searchMessages } from "./read-messages.js";
import { type ConversationSettings, sendMessage } from "./send-message.js";

/** The conversation of a key. It exists in the database from its first message on. */
export function createConversation(
  parts: RunParts,
  key: ConversationKey,
  options: ConversationOptions = {},
): Conversation {
  checkName("channel", key.channel);
  checkName("user", key.user);
  if (key.project !== undefined && key.project !== "") checkName("project", key.project);
  const settings = readSettings(key, options);
  return {
    key: settings.key,
    send: (message, sendOptions = {}) => sendMessage(parts, settings, message, sendOptions),
    history: (range = {}) => readMessages(parts, settings.key, range),
    search: (text, range = {}) => searchMessages(parts, settings.key, text, range),
    usage: (day = new Date()) => readUsage(parts, settings.tenant, day),
    close: (closeOptions = {}) => closeConversation(parts, settings.key, closeOptions),
  };
}

function readSettings(key: ConversationKey, options: ConversationOptions): ConversationSettings {
  const { channel, user, project = "" } = key;
  const { tenant = user, idleMs = TWO_HOURS_MS, ...request } = options;
  if (!Number.isSafeInteger(idleMs) || idleMs < 1) {
    throw invalidOption(
      "idleMs",
      "is not a whole number from 1",
      "Give milliseconds: 7_200_000 is two hours.",
    );
  }
  return { key: { channel, user, project }, tenant, idleMs, request };
}

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;
