// Light or dark: as the system says, until a person chooses.
import { computed, effect, signal } from '@preact/signals';

const NAME = 'toolexec.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
const chosen = signal(localStorage.getItem(NAME));

export const isDark = computed(() => (chosen.value === null ? systemIsDark.value : chosen.value === 'dark'));

export function startTheme(): void {
  system.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
  });
}

export function switchTheme(): void {
  chosen.value = isDark.value ? 'light' : 'dark';
  localStorage.setItem(NAME, chosen.value);
}
