/** A real OpenID Connect provider on loopback: `node oidc_server.mjs PORT REDIRECT_URI`. Any password signs in. */
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const GROUPS = { gina: ["sre", "staff"], eve: ["staff"] };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "stallscope",
      client_secret: "a secret of the client",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  cookies: { keys: ["only for tests"] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: true } },
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: () => ({
      sub,
      email: sub === "mallory" ? "ann@example.org" : `${sub}@example.org`,
      email_verified: sub !== "mallory",
      groups: GROUPS[sub] ?? [],
    }),
  }),
});

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
