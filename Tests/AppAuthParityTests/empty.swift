// AppAuthParityTests
