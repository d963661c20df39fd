/** Saves a picture as it stands: SVG for documents, PNG with twice the pixels for chats. */
import { useState } from "react";

const SCALE = 2;

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** PNG of an SVG text, with twice its pixels. */
async function pngOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((give) => canvas.toBlob(give, "image/png"));
    if (blob === null) throw new Error("the picture is too large for this browser");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** `name` is that of the file, without its ending. */
export function PictureButtons({ draw, name }: { draw: () => string; name: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  function give(form: "svg" | "png") {
    const svg = draw();
    const blob = form === "svg" ? Promise.resolve(new Blob([svg], { type: "image/svg+xml" })) : pngOf(svg);
    blob.then((made) => { setFailure(null); save(made, `${name}.${form}`); }).catch((error: Error) => setFailure(error.message));
  }
  return (
    <span className="timeline-pictures" role="group" aria-label="Save as picture">
      <button type="button" className="button" onClick={() => give("svg")}>Save SVG</button> <button type="button" className="button" onClick={() => give("png")}>Save PNG</button>
      {failure !== null && <span role="alert"> No picture: {failure}</span>}
    </span>
  );
}
