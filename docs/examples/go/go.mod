module example.com/history

go 1.18
