import { isDeepStrictEqual } from "node:util";

// Differences that are meant, each with its reason.
const WANTED = [
  {
    reason:
      "A page of a store has as many sessions as were asked for: what is not shown is not counted.",
    name: /store.*listSessions, page$/,
    is: () => true,
  },
  {
    reason: "A session of a store is as old as its last entry that has a time; theirs is of now.",
    name: /store.*getSessionInfo/,
    is: ({ gives: theirs }, { gives: own }) =>
      theirs?.lastModified === "<now>" &&
      isDeepStrictEqual({ ...own, lastModified: "<now>" }, theirs),
  },
  {
    reason: "All entries of a store are known, so nothing is lost between the ends of a long one.",
    name: /store.*getSessionInfo 00000000-0000-4000-8000-0000000000(?:72|7[89]|8\d)$/,
    is: () => true,
  },
];

export function wantedDifference(name, theirs, own) {
  return WANTED.some((rule) => rule.name.test(name) && rule.is(theirs, own));
}
