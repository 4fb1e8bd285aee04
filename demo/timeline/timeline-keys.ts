/** Ticks that each key goes by; further than any recording is to its first and its last. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Says whether arrow keys are an element's own: that of a slider, a choice or a list. */
function hasOwnArrows(target: EventTarget | null): boolean {
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && target.id !== 'scrubber';
}

/** Listens to the keys that go through a recording. `step` says whether there is one. */
export function timelineKeys(step: (ticks: number) => boolean): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || hasOwnArrows(event.target)) return;
    const ticks = STEPS[event.key];
    if (ticks !== undefined && step(ticks)) event.preventDefault();
  });
}
