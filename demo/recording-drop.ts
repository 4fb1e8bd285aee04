import { findElement, setText } from './element.ts';
import type { Player } from './player.ts';
import { readRecording, RecordingError } from './recording.ts';

/** Takes recordings that are dropped on the page or chosen, and plays them. */
export function acceptRecordings(player: Player): void {
  const note = findElement('#recording-note', HTMLElement);
  const chosen = findElement('#recording-files', HTMLInputElement);
  const take = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    try {
      await player.openRecording(await readRecording(files));
      setText(note, '');
    } catch (cause) {
      if (!(cause instanceof RecordingError)) throw cause;
      setText(note, cause.message);
      await player.open('crowd');
    }
  };
  chosen.addEventListener('change', () => void take([...(chosen.files ?? [])]));
  const setDropping = (event: DragEvent, isDropping: boolean): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    document.body.classList.toggle('is-dropping', isDropping);
  };
  addEventListener('dragover', (event) => setDropping(event, true));
  addEventListener('dragleave', (event) => setDropping(event, event.relatedTarget !== null));
  addEventListener('drop', (event) => {
    setDropping(event, false);
    void take([...(event.dataTransfer?.files ?? [])]);
  });
}
