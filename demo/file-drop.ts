import { findElement, setText } from './element.ts';
import type { Player } from './player.ts';
import { isRecordingFile, readRecording, RecordingError } from './recording.ts';
import type { Timeline } from './timeline/timeline.ts';

/** Takes files that are dropped on the page or chosen: recorded people, and recorded runs. */
export function acceptFiles(player: Player, timeline: Timeline): void {
  const note = findElement('#recording-note', HTMLElement);
  const chosen = findElement('#recording-files', HTMLInputElement);
  const takePeople = async (files: readonly File[]): Promise<void> => {
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
  const take = async (files: readonly File[]): Promise<void> => {
    const run = files.find((file) => !isRecordingFile(file));
    // A run that shows people may come with them.
    await takePeople(files.filter(isRecordingFile));
    if (run !== undefined) await timeline.openFile(run);
  };
  chosen.addEventListener('change', () => void takePeople([...(chosen.files ?? [])]));
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
