package org.example.ledger;

import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Books transfers between accounts. */
public final class TransferService {
    private final AccountRepository accounts;
    private final JournalWriter journal;
    private final Clock clock;

    public TransferService(AccountRepository accounts,
            JournalWriter journal, Clock clock) {
        this.accounts = accounts;
        this.journal = journal;
        this.clock = clock;
    }

    public Receipt transfer(AccountId from, AccountId to, Money amount)
            throws InsufficientFundsException {
        Account source = accounts.find(from)
                .orElseThrow(() -> new UnknownAccountException(from));
        Account target = accounts.find(to)
                .orElseThrow(() -> new UnknownAccountException(to));
        if (source.balance().isLessThan(amount)
                && !source.overdraft().covers(amount)) {
            throw new InsufficientFundsException(source.id(),
                    amount.minus(source.balance()));
        }
        source.withdraw(amount);
        target.deposit(amount);
        Entry entry = journal.append(new Entry(clock.instant(), from, to,
                amount, "transfer"));
        return new Receipt(entry.number(), entry.instant());
    }

    public List<Entry> statement(AccountId id, Period period) {
        return journal.entries(id)
                .filter(entry -> period.contains(entry.instant()))
                .sorted(Entry.BY_INSTANT)
                .toList();
    }

    public Optional<Receipt> reverse(long number) {
        Entry original = journal.entry(number);
        if (original == null) {
            return Optional.empty();
        }
        for (Entry later : journal.after(original.instant())) {
            if (later.reverses(number)) {
                String message = "entry " + number + " was reversed by "
                        + later.number();
                throw new IllegalStateException(message);
            }
        }
        try {
            return Optional.of(transfer(original.to(), original.from(),
                    original.amount()));
        } catch (InsufficientFundsException cause) {
            journal.reject(number, cause.getMessage());
            return Optional.empty();
        }
    }

    static String describe(Entry entry) {
        switch (entry.kind()) {
            case FEE:
                return "fee of " + entry.amount();
            case INTEREST:
                return "interest for " + entry.period();
            default:
                return entry.text();
        }
    }
}
