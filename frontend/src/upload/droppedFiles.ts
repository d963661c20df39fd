/** Files of a drop, those in dropped folders included. */

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A reader hands out a hundred entries at a time, then an empty list.
  for (let entries = await entriesOf(reader); entries.length; entries = await entriesOf(reader)) {
    for (const inside of entries) files.push(...(await filesIn(inside)));
  }
  return files;
}

export interface Dropped {
  files: File[];
  /** Of the folder that was dropped, where it was one alone. */
  folder: string | null;
}

export async function droppedFiles(transfer: DataTransfer | null): Promise<Dropped> {
  if (!transfer) return { files: [], folder: null };
  // Entries must be taken before the first await: the list is empty afterwards.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return { files: plain, folder: null };
  const given = entries.filter((entry) => entry !== null);
  const nested = await Promise.all(given.map(filesIn));
  return { files: nested.flat(), folder: given.length === 1 ? (given[0]?.name ?? null) : null };
}
