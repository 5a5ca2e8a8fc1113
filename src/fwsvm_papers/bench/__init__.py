"""Compare our training times with those of other SVM trainers (`make bench`)."""
