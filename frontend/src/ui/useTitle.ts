import { useEffect } from "react";

/** Title of the browser's tab. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Stallscope`;
  }, [title]);
}
