import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Pixels that an element is wide, also after the window has changed. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const width = useSignal(600);
  useEffect(() => {
    const element = of.current;
    if (element === null) return;
    const size = new ResizeObserver(() => (width.value = element.clientWidth));
    size.observe(element);
    return () => size.disconnect();
  }, []);
  return width.value;
}
