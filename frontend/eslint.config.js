import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/* Import order of the page: app > pages > feature folders > names > api > ui > theme > glossary > settings > format. A folder may import the
   ones after it, never the ones before. */
const FEATURES = ["timeline", "findings", "diagnosis", "connections", "packets", "kernel", "detectors", "upload", "sharing", "omnibox", "access", "rtt", "requests"];
const LAYERS = [["app"], ["pages"], FEATURES, ["names"], ["api"], ["ui"], ["theme"], ["glossary"], ["settings"], ["format"]];

const CHART_FILES = ["src/ui/ChartCanvas.tsx", "src/timeline/TimelineChart.tsx", "src/rtt/RttChart.tsx"];
const CHART_RULE = { group: ["echarts", "echarts/*"], message: "ECharts is imported by chart components only." };

/** Restricts what each folder of a layer may import. */
function boundaries() {
  return LAYERS.flatMap((folders, depth) => {
    const above = LAYERS.slice(0, depth).flat();
    const group = above.map((name) => `**/${name}/**`);
    return folders.map((folder) => ({
      files: [`src/${folder}/**/*.{ts,tsx}`],
      ignores: CHART_FILES,
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [CHART_RULE, ...(group.length ? [{ group, message: `${folder}/ may not import upwards.` }] : [])] },
        ],
      },
    }));
  });
}

export default tseslint.config(
  { ignores: ["dist", "src/api/schema.d.ts", "test-results", "playwright-report", "public"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ["**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "No HTML strings." },
      ],
    },
  },
  ...boundaries(),
);
