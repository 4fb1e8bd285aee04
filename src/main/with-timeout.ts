/** Resolves true when `work` settled in time, false otherwise; leaves no timer. */
export async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: unknown;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([done, late]);
  clearTimeout(timer);
  return result;
}
