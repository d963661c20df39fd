import "@mantine/core/styles.css";
import "./theme/tokens.css";
import "./theme/page.css";

import { createRoot } from "react-dom/client";

import { App } from "./app/App";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
