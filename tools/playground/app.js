// The page: five doors, what is in them, and the address that holds it.
import amok_after from '../../examples/amok-controller/after.yaml';
import amok_before from '../../examples/amok-controller/before.yaml';
import fixed from '../../examples/config-tests/fixed.yaml';
import jail from '../../examples/config-tests/jail.yaml';
import test_file from '../../examples/config-tests/tests.yaml';
import incident from '../../examples/incident/audit.log.gz';

import { change } from './change.js';
import { fill, h } from './dom.js';
import { create_editor } from './editor.js';
import { log } from './log.js';
import { seats } from './seats.js';
import { from_fragment, to_fragment } from './share.js';
import { tests } from './tests.js';
import { Tool, latest } from './tool.js';
import { who } from './who.js';

const DOORS = [who, change, seats, log, tests];
const TEXTS = { jail, fixed, before: amok_before, after: amok_after, tests: test_file.replace('jail.yaml', 'config.yaml') };
const FIRST = { config: '', request: '', before: '', after: '', tests: '', load: '100', client: '', release: NEWEST, seats: '600' };
const OLDEST_MINOR = Number(OLDEST.split('.')[1]), NEWEST_MINOR = Number(NEWEST.split('.')[1]);

const at = (id) => document.getElementById(id);
const state = { ...FIRST };
const tool = new Tool();
let door, opened, editors;

// What doors use of the page.
const page = {
  state,
  tool,
  put(field, value) {
    state[field] = value;
    show_server();
    changed(field);
  },
  editor(field, name, label, more = {}) {
    const made = create_editor({ name, label, text: state[field], changed: (text) => state[field] !== text && page.put(field, text), ...more });
    editors[field] = made;
    return h('div', { class: 'editor' }, h('h3', {}, label), made.element);
  },
  config_files: () => (state.config.trim() ? { 'config.yaml': state.config } : {}),
  config_flags: () => (state.config.trim() ? ['-f', 'config.yaml'] : []),
  server_flags: () => ['--kubernetes-version', state.release, '--server-concurrency', String(Math.max(1, Number(state.seats) || 1))],
};

const changed = latest(async (field) => {
  await remember();
  await opened.update(field);
});

async function remember() {
  const kept = Object.fromEntries([...door.fields, 'release', 'seats'].filter((field) => state[field] !== FIRST[field]).map((field) => [field, state[field]]));
  history.replaceState(null, '', `#${door.id}${Object.keys(kept).length ? `.${await to_fragment(kept)}` : ''}`);
}

function show_server() {
  at('release').value = state.release;
  at('seats').value = state.seats;
}

function open(next) {
  door = next;
  editors = {};
  document.title = `${door.title} – apfctl`;
  for (const link of document.querySelectorAll('nav a')) link.toggleAttribute('aria-current', link.dataset.door === door.id);
  for (const link of document.querySelectorAll('nav a[aria-current]')) link.setAttribute('aria-current', 'page');
  opened = door.build(page);
  const example = h('select', { id: 'example', onchange: () => start_from(door.examples[example.selectedIndex - 1]) },
    h('option', {}, 'Start from an example …'), door.examples.map(({ name }) => h('option', {}, name)));
  fill(at('door'),
    h('div', { class: 'head' }, h('div', {}, h('h2', {}, door.title), h('p', {}, door.help)),
      h('div', {}, h('label', { for: 'example', class: 'unseen' }, 'Example'), example)),
    opened.element);
  show_server();
  opened.update();
}

async function start_from(example) {
  if (!example) return;
  for (const [field, value] of Object.entries(example)) {
    if (field in FIRST) {
      state[field] = TEXTS[value] ?? value;
      editors[field]?.set(state[field]);
    }
  }
  opened.set?.();
  if (example.log) await opened.take([new File([incident], 'audit.log.gz')]);
  else await changed();
}

// #door, or #door.STATE
async function follow_address() {
  const [id, kept] = location.hash.slice(1).split('.');
  const next = DOORS.find((one) => one.id === id) ?? who;
  if (kept) Object.assign(state, FIRST, (await from_fragment(kept)) ?? {});
  open(next);
}

function begin() {
  fill(at('doors'), DOORS.map(({ id, title }) => h('a', { href: `#${id}`, 'data-door': id }, title)));
  const releases = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, i) => `1.${NEWEST_MINOR - i}`);
  fill(at('release'), releases.map((release) => h('option', {}, release)));
  at('release').addEventListener('change', (event) => page.put('release', event.target.value));
  at('seats').addEventListener('input', (event) => {
    state.seats = event.target.value;
    opened.set?.();
    page.put('seats', event.target.value);
  });
  at('share').addEventListener('click', async () => {
    await remember();
    await navigator.clipboard.writeText(location.href).catch(() => {});
    at('said').textContent = 'The address of this page holds what is in the editors, and no log. It is copied.';
  });
  addEventListener('hashchange', follow_address);
  follow_address();
  navigator.serviceWorker?.register('service-worker.js').catch(() => {}); // opened from an address that may have none
}

begin();
