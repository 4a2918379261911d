// Settings of the test process, in force once the target is linked; there is nothing to call.
