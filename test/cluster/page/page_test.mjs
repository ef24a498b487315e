// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The pages in a browser: each without a finding of axe, light and dark, wide and of 320 pixels; each action
// with scripts off, and by keyboard alone; and with names and errors that are hostile. Beside a server with
// the tasks of fixture.sql. With a file as argument: a picture of the overview.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(process.env.PAGE_TOOLS + '/');
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// Ends elements and attributes, and turns the direction of text.
const hostile = '</title><script>alert(\'"&")</script>\u202e\u001b<img src=x onerror=alert(1)>';
const visible = hostile.replace('\u202e', '\\xe2\\x80\\xae').replace('\u001b', '\\x1b');
const longest = 'w'.repeat(200);

function sql(statement) {
    return execFileSync('psql', ['-qAt', '-v', 'ON_ERROR_STOP=1'], { input: statement, encoding: 'utf8' }).trim();
}

const literal = (text) => `'${text.replaceAll("'", "''")}'`;

// Starts the tool. It says where it listens.
async function serve(...options) {
    const child = spawn(process.env.TOOL, ['serve', '--listen', '127.0.0.1:0', ...options],
        { stdio: ['ignore', 'inherit', 'pipe'] });
    let said = '';
    const url = await new Promise((resolve, reject) => {
        child.stderr.on('data', (data) => {
            said += data;
            const found = said.match(/http:\/\/[0-9.:]+\//);
            if (found) resolve(found[0]);
        });
        child.on('exit', (status) => reject(new Error(`serve: status ${status}: ${said}`)));
    });
    return { url, child, said: () => said };
}

function expect(condition, message) {
    if (!condition) throw new Error(message);
}

function expectText(text, part) {
    expect(text.includes(part), `no "${part}" in: ${text.slice(0, 2000)}`);
}

let passed = 0;
let failed = 0;

async function check(name, run) {
    try {
        await run();
        ++passed;
    } catch (error) {
        ++failed;
        console.log(`FAILED: ${name}\n${error.stack}`);
    }
}

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM.includes('/') ? process.env.CHROMIUM :
        execFileSync('sh', ['-c', `command -v ${process.env.CHROMIUM}`], { encoding: 'utf8' }).trim(),
    // Containers have little of /dev/shm, and root has no sandbox.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});

async function open(url, options, use) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => {
        // The status of a page that is to say 404.
        if (!message.text().includes('the server responded with a status of 404')) complaints.push(message.text());
    });
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on('pageerror', (error) => complaints.push(String(error)));
    try {
        await page.goto(url);
        await use(page);
        expect(complaints.length === 0, `the browser complains: ${complaints.join('\n')}`);
    } finally {
        await context.close();
    }
}

// By the Tab key alone.
async function focus(page, selector) {
    for (let i = 0; i < 300; ++i) {
        await page.keyboard.press('Tab');
        if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
    }
    throw new Error(`the Tab key does not reach ${selector} on ${page.url()}`);
}

async function follow(page, selector) {
    await focus(page, selector);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

const textOf = (page, selector) => page.locator(selector).first().innerText();

// Each page in a browser without scripts, by keyboard alone: from a page through links and forms.
async function act(name, path, steps, notice) {
    await check(name, () => open(serving.url + path, { javaScriptEnabled: false }, async (page) => {
        for (const step of steps) {
            if (Array.isArray(step)) {
                await focus(page, step[0]);
                await page.keyboard.type(step[1]);
            } else {
                await follow(page, step);
            }
        }
        const said = await textOf(page, '[role=status]');
        expect(said === notice, `it says "${said}", not "${notice}"`);
    }));
}

const acting = ['--allow-actions', '--show-payloads'];
const serving = await serve(...acting);

async function takePicture(file) {
    await open(serving.url, { viewport: { width: 1120, height: 800 } }, (page) => page.screenshot({ path: file }));
}

// Where there is something of each kind.
const task = (name, id) => `task?name=${encodeURIComponent(name)}&id=${encodeURIComponent(id)}`;
const pages = {
    overview: '',
    tasks: 'tasks',
    'dead tasks': 'tasks?state=dead',
    names: 'names',
    nodes: 'nodes',
    history: 'history',
    'a dead task': task('report', 'quarter'),
    'a running task': task('export', 'table-1'),
    'a paused name': 'name?name=invoice',
    'a question': 'confirm?do=cancel&name=mail',
    'a question with a field': 'confirm?do=pause&scope=everything',
    'no page': 'nowhere',
    'a hostile task': task(hostile, longest),
};

async function testPages() {
    sql(`select task(${literal(hostile)}, ${literal(longest)}, 'infinity', null, 3, ${literal(hostile)});
        select task(${literal(longest)}, ${literal(hostile)}, now(), 1, 3, null);
        insert into jtimer.pause values ('node', ${literal(hostile)}, now(), ${literal(hostile)}, ${literal(hostile)})`);
    for (const [name, path] of Object.entries(pages)) {
        for (const [colorScheme, width] of [['light', 1280], ['dark', 320]]) {
            await check(`o64_${name}, ${colorScheme}, ${width} px`, () =>
                open(serving.url + path, { colorScheme, viewport: { width, height: 900 } }, async (page) => {
                    const tooWide = await page.evaluate(() =>
                        document.documentElement.scrollWidth - document.documentElement.clientWidth);
                    expect(tooWide <= 0, `it is ${tooWide} px too wide`);
                    await page.evaluate(axe);
                    const { violations } = await page.evaluate((runOnly) => globalThis.axe.run({ runOnly }), tags);
                    expect(violations.length === 0, violations.map((each) => each.id + ': ' +
                        each.nodes.map((node) => node.html + '\n' + node.failureSummary).join('\n')).join('\n'));
                }));
        }
    }
    await check('o64_the_first_key_leads_past_the_head', () => open(serving.url, {}, async (page) => {
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        expect(page.url().endsWith('#main'), page.url());
        expect(await page.evaluate(() => document.activeElement.id === 'main'), 'main has no focus');
    }));
    await check('o61_what_is_hostile_is_shown_as_it_is', () =>
        open(serving.url + task(hostile, longest), {}, async (page) => {
            expect(await page.title() === `Task ${visible} ${longest} - jtimer-cluster`, await page.title());
            expectText(await textOf(page, 'pre'), visible);
            await page.goto(serving.url);
            expectText(await textOf(page, 'main'), visible);
            expect(await page.locator('script, img').count() === 0, 'there is an element');
        }));
    await check('o55_a_link_refreshes_the_page', () => open(serving.url + 'nodes', {}, async (page) => {
        await follow(page, '.refresh a[href="?refresh=5"]');
        const before = await textOf(page, '.refresh time');
        await page.waitForFunction((old) => document.querySelector('.refresh time').innerText !== old, before,
            { timeout: 30000 });
        expect(page.url().endsWith('/nodes?refresh=5'), page.url());
    }));
    sql(`delete from jtimer.task where name in (${literal(hostile)}, ${literal(longest)});
        delete from jtimer.pause where name = ${literal(hostile)}`);
}

async function testActions() {
    await act('o57_a_task_is_run_now', task('report', 'nightly-2'), ['button.run'],
        'The task report nightly-2 is due now.');
    await act('o57_a_task_is_paused_with_a_note', task('report', 'nightly-3'),
        [['#note', 'by <Ann>'], 'button.pause'], 'The task report nightly-3 is paused.');
    await check('o57_the_note_is_kept', async () => {
        const note = sql(`select paused_note from jtimer.task where id = 'nightly-3'`);
        expect(note === 'by <Ann>', note);
    });
    await act('o57_a_task_is_resumed', task('report', 'nightly-7'), ['button.resume'],
        'The task report nightly-7 is resumed.');
    await act('o57_a_task_is_rescheduled', task('report', 'nightly-4'),
        [['#when', '2040-01-01T00:00:00Z'], 'button.reschedule'], 'The task report nightly-4 is rescheduled.');
    await act('o57_a_task_is_deleted', task('report', 'nightly-5'), ['a.cancel', 'button.cancel'],
        'The task report nightly-5 is deleted.');
    await act('o57_a_running_task_is_deleted', task('export', 'table-2'), ['a.cancel', 'button.cancel'],
        'The task export table-2 is deleted, and its run goes on.');
    await act('o57_a_name_is_paused', 'name?name=report', ['a.pause', ['#note', 'later'], 'button.pause'],
        'The name report is paused.');
    await act('o57_a_name_is_resumed', 'name?name=report', ['a.resume', 'button.resume'],
        'The name report is resumed.');
    await act('o57_a_node_is_paused', 'nodes', ['a.pause', 'button.pause'], 'The node worker-1 is paused.');
    await act('o57_a_node_is_resumed', 'nodes', ['a.resume', 'button.resume'], 'The node worker-1 is resumed.');
    await act('o57_everything_is_paused', '', ['a.pause[href*=everything]', 'button.pause'],
        'Everything is paused.');
    await act('o57_everything_is_resumed', '', ['a.resume[href*=everything]', 'button.resume'],
        'Everything is resumed.');
    await act('o57_dead_tasks_are_revived', 'tasks?name=mail&state=dead', ['a.revive', 'button.revive'],
        '3 tasks are due now.');
    await act('o57_a_selection_is_deleted', 'tasks?name=cleanup', ['a.cancel', 'button.cancel'],
        '3 tasks are deleted.');
    await check('o57_the_tasks_are_as_the_pages_said', async () => {
        const rows = sql(`select name || '/' || id || ' ' || case when wake = 'infinity' then 'held'
                when wake < now() then 'due' else extract(year from wake at time zone 'UTC')::text end
            from jtimer.task where id in ('nightly-2', 'nightly-3', 'nightly-4', 'nightly-5', 'table-2',
                'invitation-1', 'cache-1') order by 1`);
        const expected = ['mail/invitation-1 due', 'report/nightly-2 due', 'report/nightly-3 held',
            'report/nightly-4 2040'].join('\n');
        expect(rows === expected, rows);
    });
    await check('o57_each_action_is_a_line_on_stderr', async () => {
        const lines = serving.said().split('\n').filter((line) => /127\.0\.0\.1.*: (run|pause|cancel) /.test(line));
        expect(lines.length >= 8, serving.said());
    });
}

async function testReadOnly() {
    const other = await serve();
    for (const [name, path] of Object.entries(pages)) {
        await check(`o56_${name} has no form`, () => open(other.url, {}, async (page) => {
            await page.goto(other.url + path);
            const count = await page.locator('form, input, button, select').count();
            expect(count === 0, `there are ${count} elements of forms`);
        }));
    }
    other.child.kill('SIGTERM');
}

try {
    if (process.argv[2]) {
        await takePicture(process.argv[2]);
    } else {
        await testPages();
        await testActions();
        await testReadOnly();
    }
} finally {
    await browser.close();
    serving.child.removeAllListeners('exit');
    serving.child.kill('SIGTERM');
}
if (!process.argv[2]) console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
