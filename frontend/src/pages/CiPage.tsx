/** `/ci`: what pipelines brought here, and what they need to do so. */
import { TokensPanel } from "../access/TokensPanel";
import { RunList } from "../ci/RunList";
import { Snippets } from "../ci/Snippets";
import { useTitle } from "../ui/useTitle";

export function CiPage() {
  useTitle("CI and tokens");
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>CI and tokens</h1>
      <RunList />
      <TokensPanel whenMade={(token) => <Snippets token={token} />} />
    </main>
  );
}
