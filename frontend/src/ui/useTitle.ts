/** Title of the browser's tab: the page's words, with the progress of a running analysis in front. */
import { useEffect } from "react";

let prefix = "";
let words = "";

function write(): void {
  document.title = [prefix, words].filter(Boolean).join(" · ") || "Stallscope";
}

export function setTitlePrefix(text: string): void {
  prefix = text;
  write();
}

export function useTitle(title: string) {
  useEffect(() => {
    words = `${title} · Stallscope`;
    write();
  }, [title]);
}
