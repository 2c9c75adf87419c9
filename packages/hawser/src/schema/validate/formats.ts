import { isIPv4, isIPv6 } from "node:net";
import { kind } from "../../base/index.js";

/**
 * The formats that are checked. Any other format is a note for the reader and accepts every text.
 */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", isDateTime],
  ["date", isDate],
  ["time", isTime],
  [
    "duration",
    matches(/^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/),
  ],
  [
    "email",
    matches(
      /^[^\s@"(),:;<>[\\\]]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i,
    ),
  ],
  ["hostname", (text: string) => text.length <= 253 && HOSTNAME.test(text)],
  ["ipv4", isIPv4],
  ["ipv6", (text: string) => isIPv6(text) && !text.includes("%")],
  ["uri", isUri],
  ["uuid", kind.isUuid],
]);

const HOSTNAME =
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-](\d\d):(\d\d))$/i;

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function isDateTime(text: string): boolean {
  return /^.{10}[t ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A time with a zone by RFC 3339. A leap second is accepted in every minute. */
function isTime(text: string): boolean {
  const [, hour = 24, minute = 60, second = 61, zoneHour, zoneMinute] =
    TIME.exec(text)?.map((part) => (part === undefined ? 0 : Number(part))) ?? [];
  return hour < 24 && minute < 60 && second <= 60 && (zoneHour ?? 0) < 24 && (zoneMinute ?? 0) < 60;
}

/** An absolute URI of the permitted characters only. */
function isUri(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i.test(text)) return false;
  return !/%(?![0-9a-f]{2})/i.test(text) && URL.canParse(text);
}
