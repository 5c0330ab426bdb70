import { judgeGuarded, judgeUnguarded } from './verdict';

// A demo that cannot fail would show nothing.

const once = { bookings: 1, mails: 1 };

describe('with the guards', () => {
  test.each([
    ['once', once, ['confirmed', 'confirmed'], { asPromised: true, kind: 'once', words: 'once' }],
    ['unknown after one booking', { bookings: 1, mails: 0 }, ['unknown'], { asPromised: true, kind: 'review' }],
    ['unknown before any booking', { bookings: 0, mails: 0 }, ['unknown'], { asPromised: true, kind: 'review' }],
    ['two bookings', { bookings: 2, mails: 1 }, ['confirmed'], { asPromised: false, kind: 'wrong' }],
    ['two bookings in review', { bookings: 2, mails: 0 }, ['unknown'], { asPromised: false, kind: 'wrong' }],
    ['two mails', { bookings: 1, mails: 2 }, ['confirmed', 'confirmed'], { asPromised: false, kind: 'wrong' }],
    ['a lost mail that nobody is told of', { bookings: 1, mails: 0 }, ['confirmed'], { asPromised: false }],
    ['nothing at all', { bookings: 0, mails: 0 }, [], { asPromised: false }],
    ['a lease that never ended', { bookings: 1, mails: 0 }, ['in_progress'], { asPromised: false }],
  ])('%s', (_, effects, states, verdict) => {
    expect(judgeGuarded(effects, once, states)).toMatchObject(verdict);
  });

  test('a late event is held only if nothing was booked', () => {
    const none = { bookings: 0, mails: 0 };
    expect(judgeGuarded(none, none, [])).toMatchObject({ asPromised: true, words: 'held' });
    expect(judgeGuarded(once, none, ['confirmed'])).toMatchObject({ asPromised: false });
  });
});

describe('without the guards', () => {
  test('the damage is as promised, its absence is not', () => {
    expect(judgeUnguarded({ bookings: 2, mails: 1 }, once, 'booked twice')).toMatchObject({
      asPromised: true,
      kind: 'wrong',
      words: 'booked twice',
    });
    expect(judgeUnguarded(once, once, 'booked twice')).toMatchObject({ asPromised: false });
  });

  test('where nothing should go wrong, the effects must be as intended', () => {
    expect(judgeUnguarded(once, once, null)).toMatchObject({ asPromised: true, kind: 'once' });
    expect(judgeUnguarded({ bookings: 1, mails: 0 }, once, null)).toMatchObject({ asPromised: false });
  });
});
