// The service from its sources, where the pause points are. Told by a file and SIGUSR2, it ends or stops itself at one.
import './pause-when-told';
import '../../../ledger-service/src/cli/main';
