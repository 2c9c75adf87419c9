import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const { version } = JSON.parse(
  readFileSync(new URL("../../packages/hawser/package.json", import.meta.url), "utf8"),
);
const { repository } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The place of a heading, by the rule of GitHub, which the links of the guides follow. */
function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

const guide = (text, page) => ({ text, link: `/docs/${page}` });

export default defineConfig({
  title: "Hawser",
  description:
    "Drive the Claude Code CLI as a subprocess: one answer, a conversation, a warm pool.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "cache",
  // The dead-links check of build.js also knows the places inside a page.
  ignoreDeadLinks: true,
  markdown: { anchor: { slugify: slugOf } },
  themeConfig: {
    search: { provider: "local" },
    outline: "deep",
    nav: [
      { text: "Guides", link: "/docs/one-shot" },
      { text: "API", link: "/api/" },
      { text: version, link: "/CHANGELOG" },
    ],
    socialLinks: repository === undefined ? [] : [{ icon: "github", link: repository }],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "What Hawser is", link: "/" },
          guide("One answer", "one-shot"),
          guide("Typed values", "structured-output"),
          guide("Conversations", "sessions"),
        ],
      },
      {
        text: "Guides",
        items: [
          guide("Turns in detail", "turns"),
          guide("Transcripts", "transcripts"),
          guide("Trust", "trust"),
          guide("Permissions", "permissions"),
          guide("Hooks", "hooks"),
          guide("Tools", "tools"),
          guide("The pool", "pool"),
          guide("A council", "council"),
          guide("The gateway", "gateway"),
          guide("Observability", "observability"),
          guide("The AI SDK", "ai-sdk"),
          guide("Performance", "performance"),
          guide("Errors", "errors"),
          guide("Tests", "testing"),
          guide("Cassettes", "cassettes"),
          guide("Deployment", "deployment"),
          guide("Runtimes", "runtimes"),
          guide("The command", "command"),
        ],
      },
      {
        text: "Moving over",
        items: [
          guide("From the Agent SDK", "from-the-agent-sdk"),
          guide("From four earlier systems", "source-systems"),
        ],
      },
      {
        text: "Evidence",
        items: [
          guide("Reliability", "reliability"),
          guide("CLI versions", "versions"),
          guide("Benchmarks", "benchmarks"),
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "API", link: "/api/" },
          { text: "Examples", link: "/examples/" },
          guide("Architecture", "architecture"),
          { text: "Changelog", link: "/CHANGELOG" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Security", link: "/SECURITY" },
        ],
      },
    ],
  },
});
