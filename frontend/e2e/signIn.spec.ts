import type { Browser, Page } from "@playwright/test";

import { expect, test } from "./product";
import { startProduct, type Started } from "./startServer";

const PASSWORD = "correct horse";
/** A password is checked slowly on purpose. */
const PATIENT = { timeout: 60_000 };
let server: Started;

test.beforeAll(async () => {
  server = await startProduct(["--host", "0.0.0.0"], { STALLSCOPE_ADMIN_PASSWORD: PASSWORD });
});
test.afterAll(async () => server.stop());

async function stranger(browser: Browser): Promise<Page> {
  return (await browser.newContext({ baseURL: server.base })).newPage();
}

async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function dropFile(page: Page, event: "dragenter" | "drop"): Promise<void> {
  const dataTransfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["tcp 6 ESTABLISHED"], "conntrack.txt"));
    return data;
  });
  await page.dispatchEvent("body", event, { dataTransfer });
}

test("one signs in where one wanted to go, gives others a way in, and signs out", async ({ browser }) => {
  const page = await stranger(browser);
  await page.goto("/settings");
  await signIn(page, "admin", "wrong horse");
  await expect(page.getByRole("alert")).toHaveText("Name or password is wrong.", PATIENT);
  await signIn(page, "admin", PASSWORD);
  await expect(page.getByTestId("who")).toContainText("admin", PATIENT);
  await expect(page.getByRole("heading", { name: "Settings", exact: true })).toBeVisible();

  await page.getByLabel("Name", { exact: true }).fill("Ann");
  await page.locator(".access-form select").first().selectOption("viewer");
  await page.getByRole("button", { name: "Add member" }).click();
  await expect(page.getByTestId("once-shown")).toBeVisible(PATIENT);
  const password = await page.getByTestId("once-shown").getByRole("textbox").inputValue();
  const ann = await stranger(browser);
  await ann.goto("/settings");
  await signIn(ann, "ann", password);
  await expect(ann.getByTestId("who")).toContainText("ann", PATIENT);
  await expect(ann.getByTestId("member")).toHaveCount(0);
  await expect(page.getByTestId("own-password")).toHaveCount(0); // admin's is in the server's settings
  const own = ann.getByTestId("own-password");
  await own.getByLabel("Old password").fill("not mine");
  await own.getByLabel("New password", { exact: true }).fill("battery staple");
  await own.getByLabel("Repeat new password").fill("battery stable");
  await expect(own.getByRole("status")).toHaveText("The two new passwords differ.");
  await own.getByLabel("Repeat new password").fill("battery staple");
  await own.getByRole("button", { name: "Change password" }).click();
  await expect(own.getByRole("alert")).toHaveText("The old password is wrong.", PATIENT);
  await own.getByLabel("Old password").fill(password);
  await own.getByRole("button", { name: "Change password" }).click();
  await expect(own.getByRole("status")).toHaveText("The password was changed.", PATIENT);
  await ann.goto("/ci");
  await expect(ann.getByRole("alert")).toContainText("Your role does not allow");

  await test.step("what one may not change takes no files, and says why", async () => {
    const { id } = (await (await page.request.post("/api/v1/investigations", { data: { label: "of the admin" } })).json()) as { id: string };
    const sent: string[] = [];
    ann.on("request", (asked) => { if (asked.method() !== "GET") sent.push(asked.url()); });
    for (const [address, why] of [[`/i/${id}/files`, "Only its owner or an admin may change this investigation."], ["/", "Your role does not allow creating and uploading."]] as const) {
      await ann.goto(address);
      await expect(async () => {
        await dropFile(ann, "dragenter");
        await expect(ann.getByTestId("drop-refused")).toContainText(why, { timeout: 500 });
      }).toPass();
      await expect(ann.getByTestId("drop-overlay")).toHaveCount(0);
      await dropFile(ann, "drop");
      await expect(ann.getByTestId("drop-refused")).toHaveCount(0);
    }
    expect(sent).toEqual([]);
  });

  await page.getByRole("row", { name: /ann/ }).getByRole("button", { name: "Block" }).click();
  await expect(page.getByRole("row", { name: /ann/ })).toContainText("(blocked)");
  await ann.goto("/");
  await expect(ann.getByTestId("sign-in")).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByTestId("sign-in")).toBeVisible();
  await page.goBack();
  await expect(page.getByTestId("sign-in")).toBeVisible();
});

test("a token is shown once and opens the API; a share link meets no sign-in", async ({ browser, request }) => {
  const page = await stranger(browser);
  await page.goto("/ci");
  await signIn(page, "admin", PASSWORD);
  await expect(page.getByTestId("who")).toContainText("admin", PATIENT);
  await page.getByLabel("Name", { exact: true }).fill("nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await page.getByTestId("once-shown").getByRole("textbox").inputValue();
  await expect(page.getByTestId("token")).toContainText("never");
  const headers = { authorization: `Bearer ${token}` };
  const api = `${server.base}/api/v1/investigations`;
  const made = (await (await request.post(api, { headers, data: { label: "by a program" } })).json()) as { id: string };
  await page.reload();
  await expect(page.getByTestId("token")).not.toContainText("never");
  expect(await page.content()).not.toContain(token);

  await page.goto(`/i/${made.id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByTestId("share-link").inputValue();
  const reader = await stranger(browser);
  await reader.goto(link);
  await expect(reader.getByTestId("share-banner")).toBeVisible();
  await reader.goto(link.replace(/#k=.*/, "#k=wrong"));
  await reader.reload();
  await expect(reader.getByTestId("share-refused")).toBeVisible();
  await expect(reader.getByTestId("sign-in")).toHaveCount(0);

  await page.goto("/ci");
  await page.getByRole("button", { name: "Revoke nightly" }).click();
  await expect(page.getByTestId("token")).toHaveCount(0);
  expect((await request.get(api, { headers })).status()).toBe(401);
});
