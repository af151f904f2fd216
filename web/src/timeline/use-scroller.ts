// Which part of a long list is in sight, and how to bring something into it.
import { useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { CALL_HEIGHT, type Rows } from '../model/rows.ts';

export interface Sight {
  readonly window: ReadonlySignal<{ top: number; height: number }>;
  /** Scrolls as little as needed to show a row. */
  readonly reveal: (top: number) => void;
}

interface Options {
  readonly rows: Pick<Rows, 'height'>;
  /** Stays at the end as the list grows. A person who scrolls up ends it, and one who scrolls to the end begins it. */
  readonly follows: Signal<boolean>;
}

export function useScroller(list: RefObject<HTMLElement | null>, { rows: { height }, follows }: Options): Sight {
  const window = useSignal({ top: 0, height: 600 });
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = (): void => {
      window.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const onScroll = (): void => {
      follows.value = element.scrollTop + element.clientHeight >= element.scrollHeight - CALL_HEIGHT;
      look();
    };
    const size = new ResizeObserver(look);
    size.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    look();
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && follows.value) element.scrollTop = element.scrollHeight;
  }, [height, follows.value]);
  const reveal = (top: number): void => {
    const element = list.current;
    if (element === null) return;
    const { scrollTop, clientHeight } = element;
    if (top < scrollTop + CALL_HEIGHT) element.scrollTop = top - CALL_HEIGHT * 2;
    else if (top + CALL_HEIGHT > scrollTop + clientHeight) element.scrollTop = top + CALL_HEIGHT * 2 - clientHeight;
  };
  return { window, reveal };
}
