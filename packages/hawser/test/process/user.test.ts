import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { resolveUser } from "../../src/process/index.js";

const self = userInfo();

describe("resolveUser()", () => {
  it("accepts a number", async () => {
    const expected = { uid: self.uid, gid: self.gid, home: self.homedir };
    expect(await resolveUser(String(self.uid))).toEqual(expected);
    expect(await resolveUser(self.uid)).toEqual(expected);
  });

  it("accepts the name of the current user", async () => {
    expect(await resolveUser(self.username)).toEqual({
      uid: self.uid,
      gid: self.gid,
      home: self.homedir,
    });
  });

  it("accepts a number without a user, for root", async () => {
    expect(await resolveUser("54321", 0)).toEqual({ uid: 54321, gid: 54321, home: undefined });
  });

  it.each([
    [
      "a number that is no user's",
      "9999999999",
      0,
      'There is no user "9999999999" on this machine.',
    ],
    [
      "an unknown name",
      "no-such-user-here",
      0,
      'There is no user "no-such-user-here" on this machine.',
    ],
    [
      "a name with a NUL",
      "name\0rest",
      0,
      'user "name\\u0000rest" is not a valid user name or number.',
    ],
    ["an empty name", "", 0, 'user "" is not a valid user name or number.'],
    ["another user when not root", "0", 1000, "Only root can start the CLI as another user."],
  ])("refuses %s", async (_name, user, uid, message) => {
    await expect(resolveUser(user, uid)).rejects.toMatchObject({
      code: "invalid_options",
      message,
      issues: [{ path: "user", message }],
    });
  });
});
