/** `/ci`: what programs need to bring captures here. */
import { TokensPanel } from "../access/TokensPanel";
import { useTitle } from "../ui/useTitle";

export function CiPage() {
  useTitle("CI and tokens");
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>CI and tokens</h1>
      <TokensPanel />
    </main>
  );
}
