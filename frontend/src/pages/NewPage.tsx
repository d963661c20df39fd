/** A new investigation: drop, paste, or open the demo. */
import { useTitle } from "../ui/useTitle";
import { Doors } from "../upload/Doors";
import "./investigations.css";

export function NewPage() {
  useTitle("New investigation");
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="new-page">
        <h1>New investigation</h1>
        <Doors />
      </div>
    </main>
  );
}
