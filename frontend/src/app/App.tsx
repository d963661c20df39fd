/** Providers around the routes. */
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";

import { Problem } from "../api/http";
import { styleNonce, theme } from "../theme/theme";
import { router } from "./router";

const RETRIES = 2;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; only a server that did not answer is asked again.
      retry: (failures, error) => failures < RETRIES && !(error instanceof Problem && error.status < 500),
    },
  },
});

const colorScheme = localStorageColorSchemeManager({ key: "stallscope-color-scheme" });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
