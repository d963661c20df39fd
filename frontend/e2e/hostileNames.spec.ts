/** Names in captures, listings and files are a stranger's: no page runs them, and none is markup in what is handed out. */
import { hostileCapture, hostileListing, MARKUP } from "./hostileEvidence";
import { api, expect, post, serverUrl, test, untilAnalysed, type Made } from "./product";

const NAME = `\`${MARKUP}.pcapng`.replaceAll("/", " ");
const TEXT = `"><script>owned=1<script>.txt`;
const PAGES = ["", "/timeline", "/findings", "/connections", "/rtt", "/requests", "/state", "/packets", "/files", "/report"];

test("markup in every name runs on no page and stands in no document", async ({ page }) => {
  const ran: string[] = [];
  page.on("dialog", (dialog) => { ran.push(dialog.message()); void dialog.dismiss(); });
  const label = `${MARKUP}<script>owned=1</script>`;
  const { id } = await post<Made>("/investigations", { label });
  for (const [name, body] of [[NAME, hostileCapture()], [TEXT, Buffer.from(hostileListing())]] as const) {
    await api(`/investigations/${id}/files/${encodeURIComponent(name)}`, { method: "PUT", body: new Uint8Array(body) });
  }
  await untilAnalysed(id);
  const { items: files } = await api<{ items: { name: string; status: string }[] }>(`/investigations/${id}/files`);
  expect(files.map((file) => file.status)).toEqual(["decoded", "decoded"]);
  const { items: findings } = await api<{ items: { id: string }[] }>(`/investigations/${id}/findings`);
  const evidence = (kind: string, name: string) => `?evidence=${encodeURIComponent(`${name}#${kind}`)}`;
  const addresses = [
    "/", ...PAGES.map((part) => `/i/${id}${part}`), `/i/${id}/findings/${findings[0]?.id}`,
    `/i/${id}/packets${evidence("4", NAME)}`, `/i/${id}/files?text=${encodeURIComponent(TEXT)}&line=5`, `/i/${id}/connections?q=${encodeURIComponent(MARKUP)}`,
  ];
  for (const address of addresses) {
    await test.step(address, async () => {
      const answer = await page.goto(address);
      expect(answer?.headers()["content-security-policy"]).toContain("script-src 'self';");
      await expect(page.locator("main h1, main h2, main [role=status], main [role=alert]").first()).toBeVisible();
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate(() => "owned" in globalThis)).toBe(false);
      expect(await page.locator("img[onerror], img[src=x], main script").count()).toBe(0);
    });
  }
  expect(ran).toEqual([]);
  // What is handed out: texts of the evidence are told, but never as markup.
  const markdown = await (await fetch(`${serverUrl()}/api/v1/investigations/${id}/report?format=markdown`)).text();
  const outsideCode = markdown.replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, "");
  expect(outsideCode).not.toMatch(/(?<!\\)<(?:img|script)/);
  expect(markdown).toContain("\\<img");
  for (const format of ["junit", "sarif", "json"]) {
    const answer = await fetch(`${serverUrl()}/api/v1/investigations/${id}/report?format=${format}`);
    expect(answer.headers.get("content-type")).not.toContain("html");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    if (format === "junit") expect(await answer.text()).not.toContain("<img");
  }
});
