/** A button that opens the file dialog. */
import { useRef } from "react";

interface FilePickerProps {
  label: string;
  main?: boolean;
  onPick: (files: File[]) => void;
}

export function FilePicker({ label, main = false, onPick }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={main ? "button button-main" : "button"}
        onClick={() => input.current?.click()}
      >
        {label}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="file-input"
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
