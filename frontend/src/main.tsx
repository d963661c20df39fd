// Those of the components in use: all of them would be 270 kB in front of the first picture.
import "@mantine/core/styles/default-css-variables.css";
import "@mantine/core/styles/baseline.css";
import "@mantine/core/styles/global.css";
import "@mantine/core/styles/UnstyledButton.css";
import "@mantine/core/styles/FloatingIndicator.css";
import "@mantine/core/styles/VisuallyHidden.css";
import "@mantine/core/styles/Popover.css";
import "@mantine/core/styles/Tooltip.css";
import "@mantine/core/styles/Tabs.css";
import "./theme/tokens.css";
import "./theme/page.css";

import { createRoot } from "react-dom/client";

import { App } from "./app/App";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
