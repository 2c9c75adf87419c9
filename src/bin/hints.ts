/** An error of the library in the words of the command: its options by the flags that stand for them. */
export function inFlags(text: string): string {
  return WORDS.reduce((told, [ours, theirs]) => told.replaceAll(ours, theirs), text);
}

/** The longer ones first, of which others are a part. */
const WORDS: readonly (readonly [string, string])[] = [
  ["pass `apiKey` or `oauthToken`", "set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN"],
  [' without `cliFrom: "cwd"`', ""],
  ["`cliPath` or HAWSER_CLI", "--cli or HAWSER_CLI"],
  ["`cliPath`", "--cli"],
  ["`cwd`", "--cwd"],
  ["`model`", "--model"],
  ["`maxTurns`", "--max-turns"],
  ["`maxBudgetUsd`", "--budget"],
  ["`permissionMode`", "--mode"],
  ["permissionMode must be", "--mode must be"],
  ["`effort`", "--effort"],
  ["effort must be", "--effort must be"],
  ["`timeouts.totalMs`", "--timeout"],
  ["`resume`", "--resume"],
];
