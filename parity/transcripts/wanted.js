import { isDeepStrictEqual } from "node:util";

// Intended differences, each with its reason.
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
    name: /store.*getSessionInfo 0{8}-0000-4000-8000-0{10}(?:72|7[89]|8\d)$|without listSessionSummaries: listSessions here$/,
    is: () => true,
  },
  {
    reason: "A fork's title comes from all entries of its source, not only from both ends.",
    name: /file projects\/-crafted/,
    is: (theirs, own) => isDeepStrictEqual(withoutTitle(theirs), withoutTitle(own)),
  },
  {
    reason:
      "Our InMemorySessionStore keeps an entry once that comes twice with the same uuid, as the interface asks.",
    name: /store.*getSession(?:Info|Messages) 0{8}-0000-4000-8000-0{9}115$/,
    is: () => true,
  },
  {
    reason:
      "The real session of 2.1.197 has entries twice, of which our InMemorySessionStore keeps one, so that it is smaller.",
    name: /2\.1\.197 store.*(?:getSessionInfo|listSessions)/,
    is: ({ gives: theirs }, { gives: own }) =>
      isDeepStrictEqual(withoutSize(own), withoutSize(theirs)),
  },
];

/** A session, or a list of sessions, without what an entry that was left out changes. */
function withoutSize(given) {
  if (Array.isArray(given)) return given.map(withoutSize);
  const { fileSize: _, lastModified: __, ...rest } = given ?? {};
  return rest;
}

function withoutTitle({ lines, ...rest }) {
  return { ...rest, lines: lines.filter(({ type }) => type !== "custom-title") };
}

export function wantedDifference(name, theirs, own) {
  return WANTED.some((rule) => rule.name.test(name) && rule.is(theirs, own));
}
